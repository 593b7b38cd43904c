// Drops boxes and balls into a pyramid, step by step: stack_boxes STEPS. The same in each run.
#include <box2d/box2d.h>

#include <cstdio>
#include <cstdlib>

static b2Body *add_body(b2World &world, float x, float y)
{
    b2BodyDef definition;
    definition.type = b2_dynamicBody;
    definition.position.Set(x, y);
    return world.CreateBody(&definition);
}

static void add_ground(b2World &world)
{
    b2BodyDef definition;
    b2EdgeShape edge;
    edge.SetTwoSided(b2Vec2(-60, 0), b2Vec2(60, 0));
    world.CreateBody(&definition)->CreateFixture(&edge, 0);
}

static void add_pyramid(b2World &world, int rows)
{
    b2PolygonShape box;
    box.SetAsBox(0.5f, 0.5f);
    for (int row = 0; row < rows; row++)
        for (int i = row; i < rows; i++)
            add_body(world, static_cast<float>(i) * 1.1f - static_cast<float>(row) * 0.55f,
                     0.55f + static_cast<float>(row))
                ->CreateFixture(&box, 5);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 1000;
    b2World world(b2Vec2(0, -10));
    b2CircleShape ball;
    ball.m_radius = 0.4f;
    add_ground(world);
    add_pyramid(world, 22);
    for (int step = 0; step < steps; step++) {
        if (step % 16 == 0 && step < 3200)
            add_body(world, static_cast<float>(step * 7 % 37) - 8, 30)->CreateFixture(&ball, 2);
        world.Step(1 / 60.f, 8, 3);
    }
    printf("%d bodies, %d contacts\n", world.GetBodyCount(), world.GetContactCount());
    return 0;
}
